import type { DemoAccount, DemoMoney, DemoRpcMethod } from '../../contract/demo.ts';
import type { Address } from '../../core/events.ts';

/** Test accounts and test money of a local chain. */
export interface Demo {
  readonly chainId: number;
  readonly accounts: readonly DemoAccount[];
  /** Asks the chain's node. @returns its response as it is: a result, or an error with code and data. */
  ask(method: DemoRpcMethod, params: readonly unknown[]): Promise<object>;
  /**
   * Sends test money to an account, and waits until it is there.
   * @param onlyIfPoor true if an account that can pay for a few things needs no more.
   * @returns `undefined` if the account has plenty, or is not poor.
   */
  give(account: Address, onlyIfPoor: boolean): Promise<DemoMoney | undefined>;
}
