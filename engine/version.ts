import { readFileSync } from 'node:fs';

const file = new URL('../package.json', import.meta.url);

const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
  version: string;
  dependencies: Readonly<Record<string, string>>;
  /** Only in the npm package: packages that its users install if they need them. */
  peerDependencies?: Readonly<Record<string, string>>;
};

/** Version of Tributary. `package.json` is the only file that has it. */
export const { version } = manifest;

/** Version of another package that `package.json` names. */
export function packageRange(name: string): string | undefined {
  return manifest.dependencies[name] ?? manifest.peerDependencies?.[name];
}
