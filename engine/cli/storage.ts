import { resolve } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import type { Env } from '../env.ts';

/**
 * Opens the storage of uploads and exports: an S3-compatible bucket if one is configured, otherwise
 * files in the data folder. Nothing in it is public; the API serves the files. Amazon's client is not loaded without a bucket.
 */
export async function openStorage({
  storage,
  dataDir,
}: Pick<Env, 'storage' | 'dataDir'>): Promise<Disk> {
  if (storage === undefined) return openFolder(dataDir);
  const { openBucket } = await import('./bucket.ts');
  return openBucket(storage);
}

/** Opens storage in files of the data folder. */
export function openFolder(dataDir: string): Disk {
  return new Disk(new FSDriver({ location: resolve(dataDir, 'files'), visibility: 'private' }));
}
