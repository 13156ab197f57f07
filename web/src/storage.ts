/** What a reader's browser keeps for these pages: nothing of it is ever sent to the service. */
const PREFIX = 'tributary.';

/** What was kept under that name; `undefined` too where storage is switched off. */
export function kept(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keep(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Switched off or full: it holds for this page, and is asked for again on the next.
  }
}
