import { resolve } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { S3Driver } from 'flydrive/drivers/s3';
import type { Env } from '../env.ts';

/**
 * Opens the storage of uploads and exports: an S3-compatible bucket if one is configured, otherwise
 * files in the data folder. Nothing in it is public; the API serves the files.
 */
export function openStorage({ storage, dataDir }: Pick<Env, 'storage' | 'dataDir'>): Disk {
  if (storage === undefined) {
    return new Disk(new FSDriver({ location: resolve(dataDir, 'files'), visibility: 'private' }));
  }
  return openBucket(storage);
}

/** Name, address and credentials of an S3-compatible bucket. */
interface Bucket {
  readonly bucket: string;
  readonly region: string;
  /** `undefined` for Amazon S3. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Opens a bucket. */
export function openBucket(place: Bucket): Disk {
  const { bucket, region, endpoint, accessKeyId, secretAccessKey } = place;
  return new Disk(
    new S3Driver({
      bucket,
      region,
      credentials: { accessKeyId, secretAccessKey },
      visibility: 'private',
      // Other S3-compatible services have no ACLs, and address buckets by path.
      supportsACL: false,
      // Not all of them support the checksums that Amazon's client adds by default.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    }),
  );
}
