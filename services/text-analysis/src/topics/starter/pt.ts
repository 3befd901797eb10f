import type { StarterWords } from './starter-words.ts';

export const PT: StarterWords = {
  management: {
    name: 'Chefia',
    keywords: `chefe, chefes, chefia, chefias, gestor, gestora, gestores, gerente, gerentes, gerência, supervisor, supervisora, supervisores, líder, líderes, liderança direta, chefe direto, chefia direta,
      superior, superiores, superior hierárquico, coordenador, coordenadora, coordenação, encarregado, encarregada, responsável de equipa, líder de equipe, microgestão, microgerenciamento, patrão, patroa,
      reunião individual, estilo de gestão, estilo de liderança`,
  },
  leadership: {
    name: 'Direção e estratégia',
    keywords: `direção, diretoria, diretor, diretora, diretores, administração, administradores, conselho, alta direção, alta gestão, alta liderança, executivos, presidente, CEO, liderança, estratégia,
      estratégias, estratégico, visão, rumo, missão, objetivos da empresa, metas da empresa, prioridades, reestruturação, reorganização, plano de futuro, fundadores, gestão de topo`,
  },
  pay: {
    name: 'Remuneração e benefícios',
    keywords: `salário, salários, remuneração, ordenado, vencimento, vencimentos, pagamento, pago, paga, pagam, mal pago, bónus, bônus, prémio, prémios, prêmio, prêmios, aumento, aumentos, aumento salarial,
      benefício, benefícios, regalias, subsídio, subsídios, comissão, comissões, seguro de saúde, plano de saúde, vale-refeição, vale-transporte, cesta básica, pensão, reforma, dinheiro, ganhar, ganha-se,
      ganho, incentivos, participação nos lucros`,
  },
  workload: {
    name: 'Carga de trabalho',
    keywords: `carga de trabalho, volume de trabalho, excesso de trabalho, sobrecarga, sobrecarregado, sobrecarregada, sobrecarregados, pressão, stress, stresse, estresse, estressante, stressante, estressado,
      prazo, prazos, horas extra, horas extras, horas extraordinárias, falta de pessoal, falta de gente, falta de funcionários, poucas pessoas, pouca gente, muitas tarefas, demasiado trabalho, muito trabalho,
      trabalho a mais, ritmo, correria, metas irrealistas, capacidade, acumular funções, esgotado`,
  },
  communication: {
    name: 'Comunicação',
    keywords: `comunicação, comunicar, comunicam, comunicado, comunicados, informação, informações, informado, informados, informar, informam, transparência, transparente, anúncio, anúncios, boletim, newsletter,
      intranet, reunião, reuniões, e-mails, diálogo, ouvir, ouvem, ouvido, ouvidos, escuta, escutam, escutar, feedback, sugestões, porta aberta, partilha de informação, falta de informação, a par`,
  },
  career: {
    name: 'Carreira e desenvolvimento',
    keywords: `carreira, carreiras, plano de carreira, progressão, progredir, promoção, promoções, promovido, promovida, promovidos, crescimento, crescer, crescimento profissional, desenvolvimento profissional,
      oportunidades, oportunidade, oportunidades de crescimento, subir na empresa, evolução, evoluir, mobilidade interna, próximo passo, estagnação, estagnado, perspetiva, perspetivas, perspectiva, perspectivas,
      futuro profissional, sucessão, novo cargo`,
  },
  learning: {
    name: 'Formação e aprendizagem',
    keywords: `formação, formações, formador, treinamento, treinamentos, treinar, treino, curso, cursos, capacitação, capacitar, aprendizagem, aprendizado, aprender, aprendi, aprendemos, aprendo, workshop,
      workshops, seminário, seminários, mentor, mentora, mentoria, coaching, conhecimento, conhecimentos, competências, habilidades, certificação, certificações, qualificação, integração, onboarding, e-learning,
      conferência, estudar`,
  },
  team: {
    name: 'Equipa e colegas',
    keywords: `equipa, equipas, equipe, equipes, colega, colegas, colega de trabalho, espírito de equipa, espírito de equipe, trabalho em equipa, trabalho em equipe, companheirismo, camaradagem, colaboração,
      colaborar, colaboram, cooperação, cooperar, entreajuda, ajuda mútua, ajudam uns aos outros, ajuda entre colegas, união, unidos, unida, convívio, solidariedade, time, parceria, relacionamento entre colegas`,
  },
  tools: {
    name: 'Ferramentas e equipamento',
    keywords: `ferramenta, ferramentas, equipamento, equipamentos, software, hardware, computador, computadores, portátil, portáteis, notebook, programa, programas, sistema, sistemas, informática, TI,
      tecnologia, tecnologias, máquina, máquinas, aparelhos, impressora, impressoras, VPN, internet, rede, wifi, licenças, aplicação, aplicações, aplicativo, aplicativos, monitor, monitores, ecrã, tela,
      material, sistemas obsoletos, suporte técnico`,
  },
  culture: {
    name: 'Cultura e valores',
    keywords: `cultura, cultura da empresa, cultura organizacional, valores, ambiente, ambiente de trabalho, clima, clima organizacional, bom ambiente, mau ambiente, atmosfera, tóxico, tóxica, fofoca, fofocas,
      intrigas, confiança, respeito, respeitado, respeitam, desrespeito, falta de respeito, ética, integridade, honestidade, mentalidade, hierarquia, assédio moral, medo, moral, política interna, abertura`,
  },
  fairness: {
    name: 'Justiça e diversidade',
    keywords: `justo, justa, justiça, injusto, injusta, injustiça, igualdade, igual, desigualdade, tratamento igual, igualdade de oportunidades, diversidade, inclusão, inclusivo, discriminação, discriminado,
      discriminada, favoritismo, favoritos, protegidos, nepotismo, cunhas, preconceito, género, gênero, mulheres, sexismo, machismo, racismo, assédio, minorias, deficiência, imparcialidade, dois pesos`,
  },
  health: {
    name: 'Saúde e equilíbrio',
    keywords: `saúde, saudável, saúde mental, bem-estar, esgotamento, burnout, exausto, exausta, exaustos, cansaço, cansado, cansada, equilíbrio, equilíbrio entre vida, vida pessoal, vida privada, vida familiar,
      família, conciliação, conciliar, doença, doente, doentes, baixa médica, atestado, ergonomia, ergonómica, ergonômica, sono, descanso, descansar, pausa, pausas, desligar, medicina do trabalho, ginásio, academia`,
  },
  flexibility: {
    name: 'Flexibilidade e horários',
    keywords: `flexível, flexíveis, flexibilidade, horário, horários, horário flexível, jornada, turno, turnos, turno da noite, escala, escalas, teletrabalho, trabalho remoto, remoto, home office, trabalho a partir de casa,
      trabalhar de casa, em casa, híbrido, modelo híbrido, tempo parcial, meio período, semana de quatro dias, férias, folga, folgas, dias livres, fim de semana, fins de semana, feriados, licença parental,
      banco de horas`,
  },
  recognition: {
    name: 'Reconhecimento',
    keywords: `reconhecimento, reconhecido, reconhecida, reconhecidos, reconhecer, reconhecem, valorização, valorizado, valorizada, valorizados, valorizar, valorizam, desvalorizado, apreciado, apreço, elogio, elogios,
      elogiar, elogia, elogiado, agradecer, agradecimento, obrigado, gratidão, mérito, recompensa, recompensas, recompensado, homenagem, distinção, esforço reconhecido, só um número, notado`,
  },
  workplace: {
    name: 'Local de trabalho e instalações',
    keywords: `escritório, escritórios, local de trabalho, posto de trabalho, secretária de trabalho, mesa, mesas, espaço aberto, open space, barulho, ruído, barulhento, refeitório, cantina, cozinha, comida, café,
      estacionamento, ar condicionado, aquecimento, temperatura, calor, frio, edifício, prédio, instalações, salas de reunião, sala de reuniões, casas de banho, banheiros, infraestrutura, localização, deslocação,
      deslocamento, cadeiras, limpeza, iluminação, vestiários, copa`,
  },
  work: {
    name: 'Tarefas e responsabilidade',
    keywords: `minhas tarefas, meu trabalho, minha função, funções, conteúdo do trabalho, trabalho interessante, trabalho com sentido, propósito, desafiante, desafiador, desafio, desafios, variado, variedade, aborrecido,
      chato, monótono, repetitivo, autonomia, autónomo, autônomo, independência, responsabilidade, responsabilidades, tomada de decisão, projeto, projetos, criativo, criatividade, satisfação no trabalho, tarefas`,
  },
  security: {
    name: 'Segurança do emprego',
    keywords: `segurança do emprego, segurança no emprego, estabilidade, estável, emprego seguro, instabilidade, insegurança, despedimento, despedimentos, despedido, despedidos, demissão, demissões, demitido,
      demitidos, corte de pessoal, cortes, redução de pessoal, contrato a prazo, contrato temporário, contratos temporários, contrato sem termo, efetivo, precário, precariedade, rotatividade, terceirização,
      subcontratação, incerteza, renovação de contrato, fecho, encerramento, layoff`,
  },
  processes: {
    name: 'Processos e organização',
    keywords: `processo, processos, procedimento, procedimentos, burocracia, burocrático, burocrática, organização, organizado, desorganização, desorganizado, desorganizada, estrutura, estruturas, fluxo de trabalho,
      planeamento, planejamento, eficiência, eficiente, ineficiente, ineficiência, papelada, aprovação, aprovações, regras, políticas, normas, coordenação entre, documentação, caos, caótico, departamentos`,
  },
};
