import { z } from 'zod';

/** What an API reports to the `tributary start` that runs it, over their own channel (IPC). */
const schema = z.object({
  type: z.literal('api-listening'),
  /** The random id that this process, and no other, answers at `/health`. */
  instance: z.string(),
});
export type ApiListening = z.infer<typeof schema>;

/** Reports to the parent; does nothing if this process was not started with a channel to one. */
export function reportToParent(message: ApiListening): void {
  // A parent that is gone takes no message, and that is not this process's concern.
  process.send?.(message, undefined, undefined, () => {});
}

/** @returns `undefined` if the message is not one of an API. */
export function readReport(message: unknown): ApiListening | undefined {
  const parsed = schema.safeParse(message);
  return parsed.success ? parsed.data : undefined;
}
