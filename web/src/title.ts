import { useEffect } from 'react';
import { plainText } from '../../engine/core/plain-text.ts';

/** Names the page in the browser's tab and history. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Tributary' : `${plainText(title)} · Tributary`;
  }, [title]);
}
