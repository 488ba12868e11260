// A console in a window of its own: nothing else around it.
import { useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { ConsoleTab } from './console-tab.tsx'

export function ConsoleWindow() {
  const { namespace, name } = useParams({ from: '/console/$namespace/$name' })
  useEffect(() => {
    document.title = `${name} · ${namespace} · Croft`
  }, [namespace, name])
  return (
    <>
      <h1 className="hidden-visually">{name}</h1>
      <ConsoleTab />
    </>
  )
}
