/** There is no such sale on the chain; the message is a sentence. */
export class NoSaleError extends Error {
  override readonly name = 'NoSaleError';
}

/** The RPC did not answer, or the chain changed meanwhile: try again. */
export class BundleUnavailableError extends Error {
  override readonly name = 'BundleUnavailableError';
}

/** No bundle of this sale can be made: a limit, or a chain whose blocks are not Ethereum's. */
export class BundleImpossibleError extends Error {
  override readonly name = 'BundleImpossibleError';
}
