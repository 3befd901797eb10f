import type { StarterWords } from './starter-words.ts';

export const ES: StarterWords = {
  management: {
    name: 'Gestión de los jefes',
    keywords: `jefe, jefes, jefa, jefas, jefatura, jefaturas, mando, mandos, mandos intermedios, gerente, gerentes, gerencia, manager, managers, supervisor, supervisores, supervisora, supervisión, responsable, responsables,
      encargado, encargados, encargada, superior, superiores, líder de equipo, jefe de equipo, coordinador, coordinadora, coordinadores, micromanagement, microgestión, estilo de mando, reuniones individuales`,
  },
  leadership: {
    name: 'Dirección y estrategia',
    keywords: `dirección, alta dirección, dirección general, directivo, directivos, directiva, director, directores, directora, liderazgo, líderes, ejecutivos, consejo de administración, comité de dirección, CEO, estrategia,
      estrategias, estratégico, estratégica, visión, rumbo, objetivos de la empresa, prioridades, futuro de la empresa, reestructuración, reorganización, misión, cúpula, dueños, políticas de la empresa`,
  },
  pay: {
    name: 'Salario y beneficios',
    keywords: `salario, salarial, sueldo, paga, pagas, pagan, pagado, pagados, mal pagado, remuneración, remuneraciones, retribución, compensación, bono, bonos, bonus, incentivo, incentivos, aumento,
      aumentos, aumento de sueldo, subida salarial, beneficios, beneficios sociales, prestaciones, seguro médico, pensión, plan de pensiones, dinero, comisión, comisiones, horas extra pagadas, vales de comida, nómina,
      ticket restaurante, complementos, dietas, convenio, utilidades, aguinaldo`,
  },
  workload: {
    name: 'Carga de trabajo',
    keywords: `carga de trabajo, carga laboral, sobrecarga, sobrecargado, sobrecargados, saturado, saturados, desbordado, desbordados, falta de personal, poco personal, falta de plantilla, plantilla, estrés, estresante, estresado,
      estresados, presión, plazo, plazos, fechas límite, horas extra, horas extras, exceso de trabajo, demasiado trabajo, demasiadas tareas, mucho trabajo, ritmo, ritmo de trabajo, agobio, agobiado, volumen de trabajo, jornadas largas,
      picos de trabajo, objetivos inalcanzables`,
  },
  communication: {
    name: 'Comunicación',
    keywords: `comunicación, comunicaciones, comunicar, comunica, comunican, comunicado, comunicados, información, informaciones, informado, informados, informar, informan, transparencia, transparente, opacidad, escucha, escuchar, escuchan,
      escuchados, diálogo, retroalimentación, feedback, intranet, boletín, anuncios, anuncian, reunión, reuniones, correos, correos electrónicos, rumores, radio pasillo, sugerencias, nos enteramos, flujo de información,
      puerta abierta, opinión, opiniones`,
  },
  career: {
    name: 'Carrera y crecimiento',
    keywords: `carrera, carrera profesional, plan de carrera, crecimiento, crecimiento profesional, crecer, desarrollo, desarrollo profesional, desarrollarse, promoción, promociones, promoción interna, promocionar, ascenso, ascensos,
      ascender, ascendido, oportunidad, oportunidades, oportunidades de crecimiento, progresar, progresión, proyección, estancado, estancados, estancamiento, movilidad interna, vacantes internas, perspectivas, siguiente paso,
      avanzar, evolución`,
  },
  learning: {
    name: 'Formación y aprendizaje',
    keywords: `formación, formaciones, formarse, formar, curso, cursos, capacitación, capacitaciones, capacitar, capacitado, aprender, aprendo, aprendizaje, aprendido, taller de formación, seminario, seminarios, entrenamiento, coaching, mentor,
      mentores, mentoría, tutor, conocimiento, conocimientos, habilidades, competencias, certificación, certificaciones, inducción, acogida, onboarding, e-learning, conferencias, actualización profesional`,
  },
  team: {
    name: 'Equipo y compañeros',
    keywords: `equipo, equipos, espíritu de equipo, trabajo en equipo, compañero, compañeros, compañera, compañeras, compañerismo, colega, colegas, colaboración, colaborar, colaboran, cooperación, cooperar, ayuda mutua, ayudarse,
      nos ayudamos, apoyo entre compañeros, solidaridad, unión, cohesión, trabajar juntos, convivencia, camaradería, silos, entre departamentos, relación entre compañeros, buen rollo, gente con la que trabajo`,
  },
  tools: {
    name: 'Herramientas y equipos',
    keywords: `herramienta, equipamiento, equipo informático, equipos informáticos, material, materiales, software, hardware, ordenador, ordenadores, computadora, computadoras, portátil, portátiles, sistema, sistemas, informática,
      soporte técnico, soporte informático, tecnología, tecnologías, maquinaria, máquina, máquinas, impresora, impresoras, VPN, red, internet, wifi, licencias, aplicación, aplicaciones, pantalla, monitores, programas,
      digitalización, ropa de trabajo, uniformes,`,
  },
  culture: {
    name: 'Cultura y valores',
    keywords: `cultura, cultura de empresa, cultura empresarial, cultura organizacional, valores, ambiente, ambiente de trabajo, ambiente laboral, buen ambiente, mal ambiente, clima, clima laboral, confianza, desconfianza, respeto,
      respetuoso, respetan, falta de respeto, ética, integridad, honestidad, sinceridad, mentalidad, tóxico, tóxica, acoso, acoso laboral, chismes, cotilleos, política interna, hipocresía, jerarquía, jerárquico, familiar,
      trato humano, trato, culpa, culpables`,
  },
  fairness: {
    name: 'Equidad y diversidad',
    keywords: `equidad, equitativo, equitativa, justo, justa, justicia, injusto, injusta, injusticia, injusticias, igualdad, igualdad de oportunidades, desigualdad, desigualdades, trato igual, trato desigual, diversidad, inclusión, inclusivo,
      inclusiva, discriminación, discriminan, discriminado, favoritismo, favoritismos, favoritos, enchufe, enchufes, enchufados, amiguismo, nepotismo, mujeres, género, brecha salarial, sexismo, machismo, racismo, discapacidad,
      preferencias, imparcialidad`,
  },
  health: {
    name: 'Salud y equilibrio',
    keywords: `salud, salud mental, bienestar, burnout, quemado, quemados, agotado, agotados, agotador, agotamiento, cansancio, cansado, conciliación, conciliar, conciliación familiar, equilibrio, vida personal, vida privada, vida familiar,
      vida laboral, familia, baja médica, bajas médicas, enfermedad, enfermo, enfermos, ergonomía, ergonómico, dolor de espalda, sueño, desconexión, desconectar, desconexión digital, descanso, descansos, descansar,
      médico de empresa, calidad de vida, gimnasio`,
  },
  flexibility: {
    name: 'Flexibilidad y horarios',
    keywords: `flexibilidad, flexible, flexibles, flexibilidad horaria, horario, horarios, horario flexible, jornada, jornadas, jornada intensiva, jornada laboral, teletrabajo, teletrabajar, trabajo remoto, remoto, a distancia, desde casa,
      híbrido, turno, turnos, turno de noche, turnos rotativos, cuadrante, cuadrantes, fines de semana, fin de semana, festivos, media jornada, tiempo parcial, semana de cuatro días, vacaciones, días libres, permiso, permisos,
      permiso parental, asuntos propios, fichar`,
  },
  recognition: {
    name: 'Reconocimiento',
    keywords: `reconocimiento, reconocimientos, reconocido, reconocidos, reconocer, reconocen, valorado, valorados, valorada, valoran, valorar, infravalorado, infravalorados, aprecio, apreciado, apreciados, agradecimiento, agradecer,
      agradecen, gracias, felicitación, felicitaciones, felicitan, elogio, elogios, recompensa, recompensas, recompensan, premio, premios, mérito, méritos, consideración, esfuerzo reconocido, solo un número, motivación`,
  },
  workplace: {
    name: 'Lugar de trabajo',
    keywords: `oficina, lugar de trabajo, puesto de trabajo, espacio de trabajo, entorno de trabajo, escritorio, mesa, ruido, ruidoso, ruidosa, comedor, cafetería, cocina, café, comida, aparcamiento, parking,
      estacionamiento, aire acondicionado, calefacción, temperatura, edificio, instalaciones, salas de reuniones, sala de reuniones, sala de descanso, baños, vestuarios, vestuario, sillas, mobiliario, iluminación, limpieza, ubicación,
      desplazamiento, transporte, infraestructura, infraestructuras, seguridad laboral`,
  },
  work: {
    name: 'Tareas y responsabilidad',
    keywords: `tarea, tareas, mi trabajo, mi puesto, contenido del trabajo, funciones, sentido, trabajo interesante, interesante, interesantes, apasionante, variado, variada, variedad, variedad de tareas, reto, retos, desafío, desafíos, desafiante,
      aburrido, monótono, monótona, repetitivo, repetitivas, autonomía, autónomo, independencia, libertad, responsabilidad, responsabilidades, toma de decisiones, iniciativa, iniciativas, proyecto, proyectos, creatividad,
      propósito, vocación`,
  },
  security: {
    name: 'Estabilidad del empleo',
    keywords: `estabilidad, estabilidad laboral, estable, empleo estable, trabajo estable, seguridad laboral, seguridad en el empleo, despido, despidos, despedido, despedidos, despiden, ERE, ERTE, recorte, recortes, recorte de personal,
      reducción de plantilla, precariedad, precario, contrato, contratos, contrato temporal, contratos temporales, contrato indefinido, temporalidad, eventual, eventuales, rotación, rotación de personal, externalización,
      deslocalización, cierre, incertidumbre, inseguridad, inestabilidad, perder el trabajo`,
  },
  processes: {
    name: 'Procesos',
    keywords: `proceso, procesos, procedimiento, procedimientos, burocracia, burocrático, burocrática, organizado, organizada, desorganizado, desorganizada, desorganización, mala organización, estructura, estructuras,
      planificación, planificar, eficiencia, eficiente, ineficiente, ineficiencia, papeleo, trámites, aprobaciones, autorizaciones, normas, reglas, políticas, coordinación, descoordinación, caos, caótico, caótica, departamentos,
      gestión administrativa, administración, logística, flujo de trabajo, métodos de trabajo, improvisación`,
  },
};
