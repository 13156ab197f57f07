import { whyNoAnnouncer } from '../../../chain/announcer.ts';
import type { IdentifiedBy } from '../../../chain/identity.ts';
import { type Ability, has, lacks } from '../ability.ts';
import { MAX_SENTENCE, withoutSecrets } from '../secrets.ts';

/** Requests over the socket: the chain's id, two blocks, and the announcements. */
export const WEBSOCKET_CALLS = 4;

/** Milliseconds that the socket may take. */
const TIMEOUT_MS = 5_000;

const COST =
  'No cost, if the RPC is fast: the indexer polls for new blocks, one call for each block time.';

/** Tries the WebSocket of `RPC_WS_URL`. */
export async function configuredWebSocket(url: string, chain: IdentifiedBy): Promise<Ability> {
  const why = await whyNot(url, chain);
  if (why === undefined) return has('websocket', 'RPC_WS_URL announces blocks');
  return lacks('websocket', `RPC_WS_URL is of no use: ${why}`, {
    cost: 'It is left out, and the indexer polls for new blocks.',
    set: { RPC_WS_URL: 'a WebSocket of the chain, or nothing' },
  });
}

/** Tries if there is a WebSocket at the address of an RPC, as at many nodes and providers. */
export async function webSocketAt(rpcUrl: string, chain: IdentifiedBy): Promise<Ability> {
  const url = new URL(rpcUrl);
  url.protocol = url.protocol === 'http:' ? 'ws:' : 'wss:';
  const why = await whyNot(url.href, chain);
  if (why !== undefined) {
    return lacks('websocket', `none at the address of the RPC: ${why}`, { cost: COST });
  }
  return has('websocket', 'announces blocks at the address of the RPC', {
    set: { RPC_WS_URL: `the URL of this RPC with ${url.protocol}//, for fewer calls` },
  });
}

async function whyNot(url: string, chain: IdentifiedBy): Promise<string | undefined> {
  const why = await whyNoAnnouncer(url, chain, { timeoutMs: TIMEOUT_MS, subscribes: true });
  // It may have hashes as the RPC returned them.
  const words = why && withoutSecrets(why, url, MAX_SENTENCE);
  return words && `${words.charAt(0).toLowerCase()}${words.slice(1)}`;
}
