/** Characters of a text of an RPC that are shown. */
const MAX_WORDS = 160;

/** Characters of a sentence of ours that has two hashes of an RPC. */
export const MAX_SENTENCE = 400;

/** Shorter parts of a path are versions and names: `v2`, `rpc`, `eth`. */
const MIN_KEY = 8;

/** A text of an RPC for a reader: without parts of the RPC's URL that may be a key, and without other URLs. */
export function withoutSecrets(text: string, url: string, max = MAX_WORDS): string {
  const shown = secretsOf(url).reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  const plain = shown.replace(/\b(?:https?|wss?):\/\/\S+/gi, '…');
  return plain.length > max ? `${plain.slice(0, max)}…` : plain;
}

/** Parts of a URL that may be secret, the longest first, as they are and decoded. */
function secretsOf(text: string): readonly string[] {
  const { username, password, pathname, searchParams } = new URL(text);
  const keys = [...pathname.split('/'), ...searchParams.values()].filter(
    (part) => part.length >= MIN_KEY,
  );
  const parts = [text, username, password, ...keys].filter((part) => part !== '');
  const all = new Set(parts.flatMap((part) => [part, decoded(part)]));
  return [...all].sort((a, b) => b.length - a.length);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
