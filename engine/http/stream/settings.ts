/** Limits of the stream of one process. Tests use smaller ones. */
export interface StreamSettings {
  /** Concurrent streams of one address, or of one IPv6 network of 64 bits. */
  readonly perAddress: number;
  /** Concurrent streams of one IPv6 network of 48 bits. */
  readonly perWideNetwork: number;
  /** Concurrent streams in total. */
  readonly readers: number;
  /** Newest messages that all readers share: a reader that falls behind them is cut. */
  readonly ringMessages: number;
  /** Characters of the shared messages. */
  readonly ringCharacters: number;
  /** Milliseconds without a message after which a comment shows that the stream lives. */
  readonly heartbeatMs: number;
  /** Maximum milliseconds of one stream; up to a tenth less, so that they do not all end together. */
  readonly durationMs: number;
  /** Milliseconds after which a stream may be ended to make room, if all slots are taken. */
  readonly pressedMs: number;
  /** Milliseconds that a reader has to read its last message. */
  readonly partingMs: number;
  /** Milliseconds between two polls without a notification. */
  readonly pollMs: number;
}

/**
 * A browser opens at most six connections to a host over HTTP/1.1: 20 are three households behind one
 * address. A reader costs a socket and some kilobytes; the ring is shared, and the newest 4 MB are
 * minutes of the fastest settling that was measured.
 */
export const STREAM_SETTINGS: StreamSettings = {
  perAddress: 20,
  perWideNetwork: 100,
  readers: 1_000,
  ringMessages: 2_048,
  ringCharacters: 4_000_000,
  heartbeatMs: 15_000,
  durationMs: 3_600_000,
  pressedMs: 60_000,
  partingMs: 10_000,
  pollMs: 5_000,
};
