/** How many files may be on their way to readers at the same time. Tests use smaller numbers. */
export interface DownloadLimits {
  /** To one address, or one IPv6 network of 64 bits. */
  readonly perAddress: number;
  /** To all addresses together. */
  readonly readers: number;
  /** A reader that stays below this rate for the whole file is disconnected, bytes per second. */
  readonly minBytesPerSecond: number;
  /** Milliseconds that any file may take, however small it is. */
  readonly baseMs: number;
}

/**
 * A browser opens at most six connections to a host over HTTP/1.1, and a file on its way holds about
 * 200 KiB. The lowest rate is that of a poor mobile connection.
 */
export const DOWNLOAD_LIMITS: DownloadLimits = {
  perAddress: 16,
  readers: 256,
  minBytesPerSecond: 8 * 1024,
  baseMs: 30_000,
};
