// Exits 0 if the process of this container is well: the HEALTHCHECK of the image.
const port = process.env.METRICS_PORT || process.env.PORT || '4000';
const response = await fetch(`http://127.0.0.1:${port}/health`, {
  signal: AbortSignal.timeout(4_000),
}).catch(() => undefined);
process.exitCode = response?.ok ? 0 : 1;
