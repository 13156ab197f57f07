/** Values that a reader's browser stores for these pages: none is ever sent to the service. */
const PREFIX = 'tributary.';

/** The value stored under a name; `undefined` if there is none, or storage is disabled. */
export function storedValue(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeValue(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Switched off or full: it holds for this page, and is asked for again on the next.
  }
}

export function removeValue(name: string): void {
  try {
    localStorage.removeItem(PREFIX + name);
  } catch {
    // Switched off: there is nothing to remove.
  }
}
