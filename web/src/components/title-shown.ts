import { createContext } from 'react';

/** Title of the page around a part. A card of the same title does not show it again; those who hear the page hear both. */
export const TitleShown = createContext<string | undefined>(undefined);
