/** Limits on files that are being sent concurrently. Tests use smaller ones. */
export interface DownloadLimits {
  /** Files to one address, or one IPv6 network of 64 bits. */
  readonly perAddress: number;
  /** Files to all addresses together. */
  readonly readers: number;
  /** A reader that stays below this rate for the whole file is disconnected, bytes per second. */
  readonly minBytesPerSecond: number;
  /** Milliseconds that every file may take, even a small one. */
  readonly baseMs: number;
}

/**
 * A browser opens at most six connections to a host over HTTP/1.1, and a file that is being sent holds
 * about 200 KiB. The minimum rate is that of a poor mobile connection.
 */
export const DOWNLOAD_LIMITS: DownloadLimits = {
  perAddress: 16,
  readers: 256,
  minBytesPerSecond: 8 * 1024,
  baseMs: 30_000,
};
