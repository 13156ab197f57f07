import { resolve } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { S3Driver } from 'flydrive/drivers/s3';
import type { Env } from '../env.ts';

/**
 * Where uploads and exports are kept: an S3-compatible bucket where one is named, and otherwise
 * files under the data directory. Nothing in it is public: the API hands files out.
 */
export function openStorage({ storage, dataDir }: Pick<Env, 'storage' | 'dataDir'>): Disk {
  if (storage === undefined) {
    return new Disk(new FSDriver({ location: resolve(dataDir, 'files'), visibility: 'private' }));
  }
  const { bucket, region, endpoint, accessKeyId, secretAccessKey } = storage;
  return new Disk(
    new S3Driver({
      bucket,
      region,
      credentials: { accessKeyId, secretAccessKey },
      visibility: 'private',
      // Buckets of other makers know no lists of rights, and are found by path.
      supportsACL: false,
      // Nor do all of them know the checksums that Amazon's own client adds unasked.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    }),
  );
}
