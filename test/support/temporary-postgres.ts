import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../engine/cli/stack/postgres.ts';

/** An embedded server in a folder of its own. */
export interface TemporaryPostgres {
  readonly url: string;
  readonly dataDir: string;
  /** Stops it and deletes all that it kept. */
  remove(): Promise<void>;
}

/** Starts a server that is gone when it is removed. @param durable whether a commit waits for the disk. */
export async function startTemporaryPostgres(
  name: string,
  durable: boolean,
): Promise<TemporaryPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), `tributary-${name}-`));
  // The server's account must be able to pass it: else its files would be elsewhere, and stay there.
  await chmod(dataDir, 0o755);
  const postgres = await startPostgres({ dataDir, durable });
  return {
    url: postgres.url,
    dataDir,
    remove: async () => {
      await postgres.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
