import {
  DEMO_META,
  type DemoPerson,
  type DemoRole,
  type DemoTag,
} from '../../../engine/contract/demo.ts';
import { LOCAL_CHAIN_ID } from './chain-id.ts';

let read: { readonly tag: DemoTag | undefined } | undefined;

/** The demo that the service named in this page; `undefined` unless it runs on its own local chain. */
export function demo(): DemoTag | undefined {
  read ??= { tag: readTag() };
  return read.tag;
}

function readTag(): DemoTag | undefined {
  const found = document.querySelector<HTMLMetaElement>(`meta[name="${DEMO_META}"]`)?.content;
  if (found === undefined) return undefined;
  const tag = JSON.parse(found) as DemoTag;
  return tag.chainId === LOCAL_CHAIN_ID ? tag : undefined;
}

/** Person of the demo with a role. */
export function personOf(role: DemoRole): DemoPerson | undefined {
  return demo()?.people.find((person) => person.role === role);
}

/** Person of the demo with an address; `undefined` for every other account. */
export function personAt(address: string | undefined): DemoPerson | undefined {
  const wanted = address?.toLowerCase();
  return demo()?.people.find((person) => person.address.toLowerCase() === wanted);
}

/** A test wallet, as the other wallets of this browser are described (`account/wallets.ts`). */
interface DemoWallet {
  readonly id: string;
  readonly name: string;
  readonly wallet: {
    request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>;
  };
}

const PREFIX = 'demo-';
const wallets = new Map<string, DemoWallet>();

/** Id of the test wallet of a role. */
export function demoWalletId(role: DemoRole): string {
  return `${PREFIX}${role}`;
}

/**
 * The test wallet with an id; `undefined` if there is no demo or no such role. Its code and its key are loaded when it
 * is first asked.
 */
export function demoWallet(id: string | undefined): DemoWallet | undefined {
  const person = demo()?.people.find(({ role }) => demoWalletId(role) === id);
  if (person === undefined || id === undefined) return undefined;
  const known = wallets.get(id);
  if (known !== undefined) return known;
  const made: DemoWallet = {
    id,
    name: `Test wallet of ${person.name}`,
    wallet: {
      async request(call) {
        const { testWallet } = await import('./test-wallet.ts');
        return await testWallet(person).request(call);
      },
    },
  };
  wallets.set(id, made);
  return made;
}
