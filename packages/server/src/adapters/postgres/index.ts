export { openPostgres, type Postgres } from './open-postgres.js';
