import { z } from 'zod';

/** Message of an API to the `tributary start` that runs it, over IPC. */
const schema = z.object({
  type: z.literal('api-listening'),
  /** Random id that only this process returns at `/health`. */
  instance: z.string(),
});
/** Message that an API listens. */
export type ApiListening = z.infer<typeof schema>;

/** Sends a message to the parent process; does nothing without an IPC channel. */
export function reportToParent(message: ApiListening): void {
  // A parent that is gone cannot receive the message, which is no error here.
  process.send?.(message, undefined, undefined, () => {});
}

/** Parses a message. @returns `undefined` if it is not from an API. */
export function readReport(message: unknown): ApiListening | undefined {
  const parsed = schema.safeParse(message);
  return parsed.success ? parsed.data : undefined;
}
