import { defineConfig } from 'tsup';

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  // The global objects used exist in browsers, too.
  platform: 'neutral',
  target: 'node20',
  dts: true,
  sourcemap: true,
  treeshake: true,
  clean: true,
  tsconfig: '../../tsconfig.json',
});
