/** The images of the servers. Any with the official ones' entrypoint will do. */
export const IMAGES = {
  postgres: process.env['POSTGRES_IMAGE'] || 'postgres:15',
  nats: process.env['NATS_IMAGE'] || 'nats:2.9',
  redis: process.env['REDIS_IMAGE'] || 'redis:7',
};
