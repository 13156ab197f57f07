import { Listr } from 'listr2';

/** Shows what work is doing as one line, unless it is to be silent. */
export async function progressLine<T>(
  silent: boolean,
  work: (onProgress: (text: string) => void) => Promise<T>,
): Promise<T> {
  if (silent || !process.stdout.isTTY) return await work(() => {});
  const tasks = new Listr<{ result?: { value: T } }>(
    [
      {
        title: 'Working',
        task: async (context, task) => {
          context.result = {
            value: await work((text) => {
              task.output = text;
            }),
          };
        },
      },
    ],
    { fallbackRenderer: 'simple', registerSignalListeners: false },
  );
  const { result } = await tasks.run({});
  if (result === undefined) throw new Error('the work ended without a result');
  return result.value;
}
