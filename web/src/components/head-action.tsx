import { createContext, type ReactNode, useContext } from 'react';
import { createPortal } from 'react-dom';

/** Where the action of a page is shown: next to its title. */
export const HeadSlot = createContext<HTMLElement | null>(null);

/** The first thing to do on a page, next to the page's title. */
export function HeadAction({ children }: { readonly children: ReactNode }) {
  const slot = useContext(HeadSlot);
  return slot && createPortal(children, slot);
}
