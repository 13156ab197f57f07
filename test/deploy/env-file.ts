import { allVariables } from '../../engine/variables.ts';

/** Names of all variables of Tributary. */
export const variableNames: ReadonlySet<string> = new Set(allVariables.map(({ name }) => name));

/** Reads lines of the form NAME=value, as Compose and systemd do. */
export function parseEnvFile(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => {
        const [, name, value = ''] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
        if (name === undefined) throw new Error(`This line is no variable: ${line}`);
        return [name, value];
      }),
  );
}
