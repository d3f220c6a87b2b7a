# The engine with its embedded parts. Two stages, so that what builds does not ship.
# For a build that is the same next year too, name it with its digest: --build-arg PYTHON_IMAGE=python:3.11-slim@sha256:...
ARG PYTHON_IMAGE=python:3.11-slim
FROM ${PYTHON_IMAGE} AS build
WORKDIR /app
COPY requirements.lock pyproject.toml README.md LICENSE ./
RUN python -m venv /venv \
 && /venv/bin/pip install --no-cache-dir --require-hashes --no-deps -r requirements.lock
COPY engine engine
COPY classifier classifier
RUN /venv/bin/pip install --no-cache-dir --no-build-isolation --no-deps .

FROM ${PYTHON_IMAGE}
RUN useradd --system --create-home --uid 10001 engine && mkdir /data && chown engine /data
COPY --from=build /venv /venv
WORKDIR /app
COPY README.md ./
COPY examples examples
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ENGINE_DATA_DIR=/data \
    ENGINE_GRPC_ADDRESS=0.0.0.0:50051 \
    ENGINE_LOG_FORMAT=json
USER engine
VOLUME /data
EXPOSE 50051
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 CMD ["assistance-engine", "health"]
# The examples are indexed once, into the volume; `docker compose exec engine assistance-engine index` adds your own.
CMD ["assistance-engine", "serve", "--index-if-empty", "examples/avap"]
