import { Hono } from 'hono';

/** Ponder requires an app. This one serves only Ponder's own paths; the API is `engine/http`. */
export default new Hono();
