import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const execute = promisify(execFile);

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program to its end.
 * @param env its environment; default: that of this process.
 * @returns its output.
 * @throws {Error} with its output if it fails.
 */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  env?: Readonly<Record<string, string>>,
): Promise<string> {
  try {
    const { stdout } = await execute(program, [...args], { cwd, env, maxBuffer: MAX_OUTPUT_BYTES });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`${program} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}
