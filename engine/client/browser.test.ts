import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { expect, it } from 'vitest';

const ENTRY = fileURLToPath(new URL('./index.ts', import.meta.url));

it('makes a browser bundle of client, contract and their packages, with no server code', async () => {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry: ENTRY, formats: ['es'] } },
  });
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  const chunks = outputs.filter((output) => output.type === 'chunk');
  const modules = chunks.flatMap(({ moduleIds }) => moduleIds);
  expect(modules.some((id) => id.includes('/engine/client/create-client.ts'))).toBe(true);
  const allowed =
    /\/engine\/(client|contract|core)\/|\/node_modules\/(zod|eventsource-parser|p-retry|is-network-error)\/|^\0/;
  expect(modules.filter((id) => !allowed.test(id))).toEqual([]);
  expect(modules.filter((id) => /node:|vite-browser-external/.test(id))).toEqual([]);
  expect(chunks.flatMap(({ imports, dynamicImports }) => [...imports, ...dynamicImports])).toEqual(
    [],
  );
  for (const { code } of chunks) expect(code).not.toMatch(/\bprocess\.env\b|\bBuffer\.|require\(/);
});
