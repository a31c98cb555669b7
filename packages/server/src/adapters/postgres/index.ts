export { joinPostgres, openPostgres, type Postgres } from './open-postgres.js';
