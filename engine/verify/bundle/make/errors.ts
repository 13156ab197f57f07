/** Thrown if the chain has no such sale; the message is a sentence. */
export class NoSaleError extends Error {
  override readonly name = 'NoSaleError';
}

/** Thrown if the RPC did not answer, or the chain changed meanwhile: try again. */
export class BundleUnavailableError extends Error {
  override readonly name = 'BundleUnavailableError';
}

/** Thrown if the sale can have no bundle: it exceeds a limit, or the chain's blocks differ from Ethereum's. */
export class BundleImpossibleError extends Error {
  override readonly name = 'BundleImpossibleError';
}
