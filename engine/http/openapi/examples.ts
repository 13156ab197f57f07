import { readFileSync } from 'node:fs';
import { z } from 'zod';

const Fields = z.record(z.string(), z.unknown());

/** A request and its response that were recorded from the sample. */
const Example = z.strictObject({
  request: z
    .strictObject({ params: Fields, query: Fields, body: z.unknown() })
    .partial()
    .optional(),
  response: z.strictObject({ data: z.unknown(), meta: z.unknown() }),
});

/** A request and its response that were recorded from the sample. */
export type Example = z.infer<typeof Example>;

/**
 * Recorded requests and responses, by the name of their method (test/http/examples.test.ts). That of a narrower path is
 * `vault.get.narrowed`, as its operation.
 */
export function readExamples(): Readonly<Record<string, Example>> {
  return z.record(z.string(), Example).parse(JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')));
}

/** File of the recorded examples. */
export const EXAMPLES_FILE = new URL('./examples.json', import.meta.url);
