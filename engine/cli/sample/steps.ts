import type { Address } from 'viem';
import type { Actor, SampleToken } from './cast.ts';
import type { CommerceArgs, CommerceFunction, TokenArgs, TokenFunction } from './functions.ts';
import type { TypedMessage } from './typed-data.ts';

/** Who signs what; the signature takes the place of the call's last argument. */
export interface Signing {
  readonly by: Actor;
  readonly message: TypedMessage;
}

/** What a step's transaction does. */
export type Call =
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
export interface Step {
  readonly by: Actor;
  /** What happens, for people: the rest of a sentence that `by` begins. */
  readonly what: string;
  readonly call: Call;
}

/** The transactions of one block, in their order in it. */
export interface PlannedBlock {
  /** Unix seconds. */
  readonly timestamp: number;
  readonly steps: readonly Step[];
}
