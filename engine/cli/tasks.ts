import { Listr } from 'listr2';
import { plainText } from '../core/plain-text.ts';

/** Line of a task that runs. */
export interface TaskLine {
  /** Shows what the task is doing now. */
  output(text: string): void;
  /** Renames the task. */
  title(text: string): void;
}

/** One step of a command. */
export interface Task<C> {
  readonly title: string;
  readonly task: (context: C, line: TaskLine) => Promise<void>;
  /** False if later tasks run although this one failed. */
  readonly exitOnError?: (context: C) => boolean;
}

/**
 * Runs tasks one after the other, and shows each as a line, whose texts pass `plainText`.
 * @param isSilent shows nothing.
 * @returns the context that all tasks share.
 * @throws the error of the task that failed.
 */
export async function runTasks<C extends object>(
  tasks: readonly Task<C>[],
  context: C,
  isSilent: boolean,
): Promise<C> {
  let failure: { readonly error: unknown } | undefined;
  const shown = tasks.map(({ task: work, ...task }) => ({
    ...task,
    task: async (_: C, line: { output: string; title: string }) => {
      try {
        await work(context, {
          output: (text) => {
            line.output = plainText(text);
          },
          title: (text) => {
            line.title = plainText(text);
          },
        });
      } catch (error) {
        failure = { error };
        // The renderer shows its message.
        throw new Error(plainText(error instanceof Error ? error.message : String(error)));
      }
    },
  }));
  const list = new Listr<C>(shown, {
    silentRendererCondition: isSilent,
    fallbackRenderer: 'simple',
    // Commands handle Ctrl-C, to stop their parts in order.
    registerSignalListeners: false,
  });
  await list.run(context).catch((error: unknown) => {
    throw failure === undefined ? error : failure.error;
  });
  return context;
}
