// The wire contract and the licence go into the package as they are in the repository.
import { copyFileSync } from "node:fs";

copyFileSync(new URL("../../proto/engine/v1/engine.proto", import.meta.url), new URL("out/engine.proto", import.meta.url));
copyFileSync(new URL("../../LICENSE", import.meta.url), new URL("LICENSE", import.meta.url));
