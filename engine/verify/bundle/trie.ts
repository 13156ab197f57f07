import { RLP } from '@ethereumjs/rlp';

/** Thrown if a walk through a trie fails: the nodes are no trie, or one is missing. */
export class TrieError extends Error {
  override readonly name = 'TrieError';
}

/** Decoded RLP. */
type Rlp = Uint8Array | readonly Rlp[];

/** Returns the node of a hash, as RLP; `undefined` if there is none. */
export type NodeAt = (hash: Uint8Array) => Uint8Array | undefined;

/** Largest number of steps of a walk, generous for keys of up to 64 nibbles. */
const MAX_STEPS = 129;

/**
 * Finds the value of a key in a Merkle-Patricia trie, through the nodes on the path to it (Yellow
 * Paper, appendix D). `nodeAt` must return only nodes that hash to the given hash.
 *
 * @returns `undefined` if the nodes show that the trie has no such key.
 * @throws {TrieError} if a node is missing or invalid.
 */
export function findInTrie(
  root: Uint8Array,
  key: Uint8Array,
  nodeAt: NodeAt,
): Uint8Array | undefined {
  let path = nibblesOf(key);
  let reference: Rlp = root;
  for (let step = 0; step < MAX_STEPS; step += 1) {
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

/** A node by its hash, or the node itself if it is so short that its parent contains it. */
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
