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

/**
 * Message of `tributary start` to the API that it runs: the chain is an anvil that it started, with the sample. No
 * variable and no option says so, and no other program sends it, because it opens a demo whose keys everybody knows.
 */
const ownChain = z.strictObject({ type: z.literal('own-chain'), rpcUrl: z.url() });
export type OwnChain = z.infer<typeof ownChain>;

/** Calls `act` if the parent process says that the chain is its own; never without an IPC channel. */
export function onOwnChain(act: (chain: OwnChain) => void): void {
  process.once('message', (message: unknown) => {
    const parsed = ownChain.safeParse(message);
    if (parsed.success) act(parsed.data);
  });
  // Waiting for it must not hold the process open.
  process.channel?.unref();
}
