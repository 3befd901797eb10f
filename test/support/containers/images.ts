/** Images of the stores. Any image with the official entrypoint works. */
export const IMAGES = {
  postgres: process.env['POSTGRES_IMAGE'] || 'postgres:15',
  nats: process.env['NATS_IMAGE'] || 'nats:2.11.1',
  redis: process.env['REDIS_IMAGE'] || 'redis:7',
};
