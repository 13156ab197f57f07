import type { Address } from 'viem';
import type { Actor, SampleToken } from './actors.ts';
import type { CommerceArgs, CommerceFunction, TokenArgs, TokenFunction } from './functions.ts';
import type { TypedMessage } from './typed-data.ts';

/** Message that somebody signs; the signature replaces the call's last argument. */
export interface Signing {
  readonly by: Actor;
  readonly message: TypedMessage;
}

/** Content of a planned transaction. */
export type TransactionContent =
  | { readonly kind: 'deployCommerce' }
  | { readonly kind: 'deployToken'; readonly token: SampleToken }
  | {
      [F in TokenFunction]: {
        readonly kind: 'token';
        readonly address: Address;
        readonly functionName: F;
        readonly args: TokenArgs<F>;
      };
    }[TokenFunction]
  | {
      [F in CommerceFunction]: {
        readonly kind: 'commerce';
        readonly functionName: F;
        readonly args: CommerceArgs<F>;
        readonly signing?: Signing;
      };
    }[CommerceFunction];

/** One transaction of the sample. */
export interface PlannedTransaction {
  readonly by: Actor;
  /** The action for people: the rest of a sentence that begins with the sender's name. */
  readonly what: string;
  readonly content: TransactionContent;
}

/** The transactions of one block, in their order. */
export interface PlannedBlock {
  /** Unix seconds. */
  readonly timestamp: number;
  readonly transactions: readonly PlannedTransaction[];
}
