// How the web interface is built: hashed files without inline code, packed beside the plain ones.
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { onlyOurLanguages } from './build/only-our-languages.ts'
import { packed } from './build/packed.ts'

export default defineConfig({
  plugins: [react(), onlyOurLanguages(), packed()],
  build: {
    target: 'esnext',
    modulePreload: { polyfill: false },
    // Inlined pictures and fonts would be data: addresses, which the policy refuses for all but images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
  server: {
    // Where `npm run dev` finds a server: any croft, by default the one of this machine.
    proxy: Object.fromEntries(
      ['/api', '/apis', '/v1', '/v1-croft', '/version'].map((path) => [
        path,
        { target: process.env['CROFT_SERVER'] ?? 'https://127.0.0.1:6443', secure: false, ws: true },
      ]),
    ),
  },
})
