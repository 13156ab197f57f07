import { RLP } from '@ethereumjs/rlp';

/** A walk that does not get through: what it met is no trie, or a node is missing. */
export class TrieError extends Error {
  override readonly name = 'TrieError';
}

/** What RLP decodes to. */
type Rlp = Uint8Array | readonly Rlp[];

/** The node of that hash, RLP; `undefined` where there is none. */
export type NodeAt = (hash: Uint8Array) => Uint8Array | undefined;

/** Nodes on one way at most: a key of 32 bytes has 64 nibbles, and one node more ends it. */
const STEPS_MOST = 129;

/**
 * The value of a key in a Merkle-Patricia trie, by the nodes on the way to it (Yellow Paper,
 * appendix D). What stands under a hash must hash to it: `nodeAt` sees to that.
 *
 * @returns `undefined` where the nodes show that the trie has no such key.
 * @throws {TrieError} where a node is missing or is none.
 */
export function findInTrie(
  root: Uint8Array,
  key: Uint8Array,
  nodeAt: NodeAt,
): Uint8Array | undefined {
  let path = nibblesOf(key);
  let reference: Rlp = root;
  for (let step = 0; step < STEPS_MOST; step += 1) {
    const node = nodeOf(reference, nodeAt);
    if (node.length === 17) {
      const [nibble, ...rest] = path;
      if (nibble === undefined) return valueIn(node[16]);
      reference = node[nibble] ?? new Uint8Array();
      path = rest;
      // An empty reference: the trie has nothing there.
      if (reference.length === 0) return undefined;
      continue;
    }
    const { isLeaf, nibbles } = partOf(node[0]);
    if (!nibbles.every((nibble, i) => nibble === path[i])) return undefined;
    path = path.slice(nibbles.length);
    if (isLeaf) return path.length === 0 ? valueIn(node[1]) : undefined;
    if (nibbles.length === 0) throw new TrieError('an extension leads nowhere');
    reference = node[1] ?? new Uint8Array();
  }
  throw new TrieError('the way is longer than any key');
}

/** A node by its hash, or itself where it is so short that it stands in its parent. */
function nodeOf(reference: Rlp, nodeAt: NodeAt): readonly Rlp[] {
  const node = reference instanceof Uint8Array ? decode(reference, nodeAt) : reference;
  if (node instanceof Uint8Array || (node.length !== 17 && node.length !== 2)) {
    throw new TrieError('a node is neither a branch nor an extension nor a leaf');
  }
  return node;
}

function decode(hash: Uint8Array, nodeAt: NodeAt): Rlp {
  if (hash.length !== 32) throw new TrieError('a reference is no hash');
  const raw = nodeAt(hash);
  if (raw === undefined) throw new TrieError('a node on the way is missing');
  try {
    return RLP.decode(raw);
  } catch {
    throw new TrieError('a node is no RLP');
  }
}

/** The hex-prefix encoding of a part of a key (Yellow Paper, appendix C). */
function partOf(encoded: Rlp | undefined): { isLeaf: boolean; nibbles: readonly number[] } {
  const nibbles = encoded instanceof Uint8Array ? nibblesOf(encoded) : [];
  const [flag, padding] = nibbles;
  if (flag === undefined || flag > 3) throw new TrieError('a part of a key is not encoded as one');
  const isOdd = (flag & 1) === 1;
  if (!isOdd && padding !== 0) throw new TrieError('a part of a key is not encoded as one');
  return { isLeaf: flag >= 2, nibbles: nibbles.slice(isOdd ? 1 : 2) };
}

function valueIn(value: Rlp | undefined): Uint8Array | undefined {
  if (!(value instanceof Uint8Array)) throw new TrieError('a value is a list');
  return value.length === 0 ? undefined : value;
}

function nibblesOf(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
}
