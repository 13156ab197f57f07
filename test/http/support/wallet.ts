import {
  concatHex,
  getCreate2Address,
  type Hex,
  numberToHex,
  serializeErc6492Signature,
} from 'viem';
import type { TestClient } from '../../support/chain.ts';
import { accountAt, mined } from '../../support/chain.ts';

/** The deployer that anvil has from the start: salt, then init code (EIP-7955's forerunner). */
const FACTORY = '0x4e59b44847b379578588920cA78FbF26c0B4956C';
const SALT = numberToHex(0, { size: 32 });

/** A contract wallet that takes one fixed secret for its signature (ERC-1271). */
export interface ContractWallet {
  readonly address: Hex;
  /** What its owner "signs" every message with. */
  readonly signature: Hex;
  /** The same for a wallet that is yet to be deployed (ERC-6492). */
  readonly undeployedSignature: Hex;
  deploy(client: TestClient): Promise<void>;
}

/** A wallet whose `isValidSignature` answers the magic value where the signature is `secret`. */
export function contractWallet(secret: Hex): ContractWallet {
  // calldataload(0x64), the signature's first word, against the secret.
  return walletOf(concatHex(['0x6064357f', secret, '0x14', ANSWER]), secret);
}

/** A wallet that has approved every message on the chain: its signature is empty. */
export function approvingWallet(): ContractWallet {
  // iszero(calldataload(0x44)): the length of the signature.
  return walletOf(concatHex(['0x60443515', ANSWER]), '0x');
}

/** Returns the magic value 0x1626ba7e, left-aligned, if the stack has 1; otherwise 0. */
const ANSWER: Hex = '0x631626ba7e60e01b0260005260206000f3';

function walletOf(runtime: Hex, signature: Hex): ContractWallet {
  const length = numberToHex((runtime.length - 2) / 2, { size: 1 });
  const init = concatHex(['0x60', length, '0x600c60003960', length, '0x6000f3', runtime]);
  const factoryData = concatHex([SALT, init]);
  return {
    address: getCreate2Address({ from: FACTORY, salt: SALT, bytecode: init }),
    signature,
    undeployedSignature: serializeErc6492Signature({
      address: FACTORY,
      data: factoryData,
      signature,
    }),
    async deploy(client) {
      const account = accountAt(await client.getAddresses(), 0);
      await mined(
        client,
        await client.sendTransaction({ account, to: FACTORY, data: factoryData }),
      );
    },
  };
}
