// The entry: styles, then the application.
import './styles/tokens.css'
import './styles/base.css'
import './styles/shell.css'
import './styles/pieces.css'
import './styles/forms.css'
import './styles/pages.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { stripPrefix } from './app/old-addresses.ts'

stripPrefix()
const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
