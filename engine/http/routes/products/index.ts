export { categories } from './categories.ts';
export { get } from './get.ts';
export { list } from './list.ts';
export { remove } from './remove.ts';
export { save } from './save.ts';
export { uploadAsset } from './upload-asset.ts';
