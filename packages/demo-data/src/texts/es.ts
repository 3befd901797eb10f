import type { Phrases } from './phrases.ts';

export const ES: Phrases = {
  themes: {
    management: {
      positive: [
        'Mi responsable escucha y cumple lo que acordamos.',
        'Las decisiones se explican bien, también las difíciles.',
        'Cada semana recibo una opinión sincera sobre mi trabajo.',
      ],
      neutral: ['Mi responsable cambió en primavera, es pronto para opinar.'],
      negative: [
        'Se decide sin contar con nosotros y nadie explica por qué.',
        'Una de cada dos reuniones individuales se cancela.',
        'La dirección cambia de prioridades cada mes.',
      ],
    },
    pay: {
      positive: [
        'El bono de este año fue justo y llegó a tiempo.',
        'Mi sueldo se corresponde con lo que hago.',
        'El seguro médico de la empresa es muy bueno.',
      ],
      neutral: ['El sueldo es más o menos como en otras empresas de la zona.'],
      negative: [
        'Los nuevos cobran más que quienes llevan años aquí.',
        'La subida no cubre ni el aumento del alquiler.',
        'Las horas extra se pagan tarde.',
      ],
    },
    workload: {
      positive: [
        'El nuevo plan de turnos nos deja respirar.',
        'La carga de trabajo es razonable desde que el equipo está completo.',
        'Termino mis tareas sin trabajar por la noche.',
      ],
      neutral: ['Hay semanas tranquilas y semanas llenas.'],
      negative: [
        'Faltan dos personas y todo recae en las mismas.',
        'Los plazos se fijan sin preguntar a quienes deben cumplirlos.',
        'Llevo semanas sin hacer una pausa de verdad.',
      ],
    },
    team: {
      positive: [
        'Sigo aquí por mi equipo.',
        'Aquí la gente se ayuda sin que haga falta pedirlo.',
        'A los nuevos se les recibe muy bien.',
      ],
      neutral: ['Cada uno trabaja bastante por su cuenta, y me parece bien.'],
      negative: [
        'El turno de día y el de noche apenas se hablan.',
        'Hay dos bandos en el equipo y eso envenena el ambiente.',
        'Cuando algo falla, lo primero es buscar un culpable.',
      ],
    },
    tools: {
      positive: [
        'Los nuevos lectores nos ahorran una hora al día.',
        'Me cambiaron el portátil enseguida y todo funcionó.',
        'El sistema de incidencias es sencillo y rápido.',
      ],
      neutral: ['El programa hace lo que debe, ni más ni menos.'],
      negative: [
        'El sistema se cuelga varias veces al día y nadie lo arregla.',
        'Seguimos escribiendo los mismos números en tres programas.',
        'Por la mañana no hay suficientes carretillas.',
      ],
    },
    growth: {
      positive: [
        'Pude hacer el curso que había pedido.',
        'El camino hacia el siguiente nivel está claro.',
        'El programa de mentores me ha enseñado mucho.',
      ],
      neutral: ['Todavía no he mirado el catálogo de cursos.'],
      negative: [
        'Año tras año no hay presupuesto para formación.',
        'Hago lo mismo desde hace seis años y no veo el siguiente paso.',
        'Ascienden los que más gritan.',
      ],
    },
    communication: {
      positive: [
        'El resumen semanal es breve y cuenta lo importante.',
        'Supimos de la reorganización pronto y por las personas adecuadas.',
        'En las asambleas hay sitio para preguntas de verdad.',
      ],
      neutral: ['De vez en cuando leo el boletín.'],
      negative: [
        'Nos enteramos por los clientes de lo que anuncia nuestra empresa.',
        'Lo importante se pierde entre tantos correos.',
        'Nadie nos dijo por qué se paró el proyecto.',
      ],
    },
    flexibility: {
      positive: [
        'Teletrabajar dos días hace posible la vida familiar.',
        'Cambiar un turno es fácil y nadie protesta.',
        'Pude reducir horas tras el permiso parental sin problemas.',
      ],
      neutral: ['El teletrabajo no es posible en mi puesto.'],
      negative: [
        'El teletrabajo depende del humor del jefe.',
        'Las vacaciones se aprueban dos semanas antes.',
        'El horario fijo es imposible con un niño pequeño.',
      ],
    },
  },
  endings: ['Gracias por preguntar.', 'Espero que sirva de algo.', 'Por lo demás, estoy contento.', 'Seguid así.'],
  mentions: [
    'Sobre todo {name} hace un trabajo estupendo.',
    'Escribí a {email} por este tema y no hubo respuesta.',
    'Pedí a {name} que me llamara al {phone}, sin éxito.',
  ],
};
