import { runTasks } from '../tasks.ts';

/** Shows what work is doing as one line, unless it is to be silent. */
export async function progressLine<T>(
  silent: boolean,
  work: (onProgress: (text: string) => void) => Promise<T>,
): Promise<T> {
  if (silent || !process.stdout.isTTY) return await work(() => {});
  return await shownTask('Working', silent, work);
}

/** Does work as a task with a title, whose line shows what it is doing. */
export async function shownTask<T>(
  title: string,
  silent: boolean,
  work: (onProgress: (text: string) => void) => Promise<T>,
): Promise<T> {
  const task = async (context: { result?: { value: T } }, line: { output(text: string): void }) => {
    let last: string | undefined;
    const show = (text: string) => {
      if (text !== last) line.output(text);
      last = text;
    };
    context.result = { value: await work(show) };
  };
  const { result } = await runTasks<{ result?: { value: T } }>([{ title, task }], {}, silent);
  if (result === undefined) throw new Error('the work ended without a result');
  return result.value;
}
