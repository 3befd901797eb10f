import { defineConfig } from 'tsup';

// Packages of the workspace that are not published.
const bundled = [/^@survey\//];

export default defineConfig({
  entry: ['src/index.ts'],
  format: ['esm', 'cjs'],
  target: 'node20',
  // The bundler of types does not read the exports of packages.
  dts: {
    resolve: bundled,
    compilerOptions: {
      baseUrl: '../..',
      paths: { '@survey/bus/*': ['packages/bus/src/*'], '@survey/proto/*': ['proto/gen/survey/*'] },
    },
  },
  noExternal: bundled,
  sourcemap: true,
  treeshake: true,
  clean: true,
  tsconfig: '../../tsconfig.json',
});
