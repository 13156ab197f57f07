import { shortHex } from '../../../format.ts';

/** Words of a name in camel case: `save draft`. */
const spaced = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => ` ${letter}`).toLowerCase();

/** A method that changed something, in words: `Campaigns: save draft`. */
export function actionWords(action: string): string {
  const [area = '', method = ''] = action.split('.');
  const text = spaced(area);
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}: ${spaced(method)}`;
}

/** The changed object, `kind:id`, in words: `draft gift-cards`. */
export function resourceWords(resource: string): string {
  const [kind = '', id = ''] = resource.split(/:(.*)/s);
  const isDrawn = /^[\w-]{20,}$/.test(id) && /[A-Z0-9_]/.test(id);
  const name = id.startsWith('0x') ? shortHex(id) : isDrawn ? `${id.slice(0, 6)}…` : id;
  return `${spaced(kind)} ${name}`;
}
