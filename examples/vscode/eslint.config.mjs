import tseslint from "typescript-eslint";

export default tseslint.config(...tseslint.configs.strictTypeChecked, {
  languageOptions: { parserOptions: { project: "./tsconfig.json", tsconfigRootDir: import.meta.dirname } },
  rules: {
    // node:test's `test` gives a promise that the runner waits for.
    "@typescript-eslint/no-floating-promises": ["error", { allowForKnownSafeCalls: [{ from: "package", name: ["test"], package: "node:test" }] }],
    "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
  },
});
