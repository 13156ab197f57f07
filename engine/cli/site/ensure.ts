import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot, spawnChild, tsxCommand } from '../stack/processes.ts';
import { hashSiteInputs } from './inputs.ts';
import { SITE_FOLDER, STAMP_FILE } from './place.ts';

/**
 * Builds the site in a child process if it is missing or older than its sources.
 * @param logFile receives the output of the build.
 * @returns true if the site is up to date.
 */
export async function ensureSite(logFile: string, onBuild: () => void): Promise<boolean> {
  if (await isBuilt()) return true;
  onBuild();
  const entry = join(projectRoot, 'scripts', 'build-site.ts');
  const build = spawnChild({ name: 'the build of the site', ...tsxCommand(entry), logFile });
  const { code } = await build.exited;
  // Another start may have built the same site concurrently.
  return code === 0 || (await isBuilt());
}

async function isBuilt(): Promise<boolean> {
  const stamp = await readFile(join(SITE_FOLDER, STAMP_FILE), 'utf8').catch(() => undefined);
  // The npm package has the built site, and not its sources.
  if (!existsSync(join(projectRoot, 'web', 'src'))) return stamp !== undefined;
  return stamp !== undefined && stamp === (await hashSiteInputs(projectRoot));
}
