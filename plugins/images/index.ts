/** The plugin `images`: one small image in five formats. */
import { definePlugin } from 'svc/plugin'
import { IMAGES } from './image-files.ts'
import type {} from './types.ts'
import { registerRoutes } from './routes.ts'

export default definePlugin({
  title: 'Images',
  description: 'A small valid image as PNG, JPEG, GIF, WebP or SVG, by path or by Accept.',
  paths: ['/image'],
  register(app, svc) {
    svc.offer('images.files', IMAGES)
    registerRoutes(app)
  },
})
