import { Hono } from 'hono';

/** Ponder demands an app. Ours is `engine/http`: this one answers nothing but Ponder's own paths. */
export default new Hono();
