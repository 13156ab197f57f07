import { Disk } from 'flydrive';
import { S3Driver } from 'flydrive/drivers/s3';

/** Name, address and credentials of an S3-compatible bucket. */
export interface Bucket {
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
